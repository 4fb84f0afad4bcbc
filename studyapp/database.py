"""Rules the database itself keeps, as migration operations.

Django's ``on_delete`` lives in Python; what a trigger deletes must cascade in PostgreSQL. These
operations are reversible and look constraint names up instead of guessing them.
"""

from django.db import migrations

# Set by the erasure service for its own transaction only (SET LOCAL).
ERASING = "current_setting('plainheart.erasing', true) = 'on'"


def write_once(table: str) -> migrations.RunSQL:
    """Refuse every UPDATE of ``table``; rows may be made and deleted."""
    return _trigger(
        table,
        "write_once",
        "BEFORE UPDATE",
        f"RAISE EXCEPTION '{table} is write-once: make a new row' USING ERRCODE = 'restrict_violation';",
    )


def append_only(table: str, *, erasable_column: str | None = None) -> migrations.RunSQL:
    """Refuse UPDATE and DELETE of ``table`` unless the transaction is an erasure.

    ``erasable_column`` names the one column an erasure may set to NULL in place of deleting the row.
    """
    if erasable_column is None:
        update = "NULL;"
    else:
        update = f"""
            IF to_jsonb(NEW) - '{erasable_column}' = to_jsonb(OLD) - '{erasable_column}'
               AND NEW.{erasable_column} IS NULL AND {ERASING} THEN
                RETURN NEW;
            END IF;"""
    return _trigger(
        table,
        "append_only",
        "BEFORE UPDATE OR DELETE",
        f"""
        IF TG_OP = 'DELETE' AND {ERASING} THEN
            RETURN OLD;
        END IF;
        IF TG_OP = 'UPDATE' THEN
            {update}
        END IF;
        RAISE EXCEPTION '{table} is append-only' USING ERRCODE = 'restrict_violation';""",
    )


def delete_pointed(table: str, column: str, target: str, target_pk: str = "id") -> migrations.RunSQL:
    """After a row of ``table`` is deleted, delete the row of ``target`` that its ``column`` pointed to."""
    return _trigger(
        table,
        f"delete_{column}",
        "AFTER DELETE",
        f"DELETE FROM {target} WHERE {target_pk} = OLD.{column}; RETURN NULL;",
    )


def cascade(table: str, column: str) -> migrations.RunSQL:
    """Make the foreign key ``table.column`` cascade in the database too."""
    return migrations.RunSQL(
        sql=_replace_foreign_key(table, column, "ON DELETE CASCADE"),
        reverse_sql=_replace_foreign_key(table, column, ""),
    )


def _trigger(table: str, name: str, when: str, body: str) -> migrations.RunSQL:
    function = f"{table}_{name}"
    return migrations.RunSQL(
        sql=f"""
        CREATE FUNCTION {function}() RETURNS trigger LANGUAGE plpgsql AS $body$
        BEGIN {body} END $body$;
        CREATE TRIGGER {function} {when} ON {table} FOR EACH ROW EXECUTE FUNCTION {function}();
        """,
        reverse_sql=f"DROP TRIGGER {function} ON {table}; DROP FUNCTION {function}();",
    )


def _replace_foreign_key(table: str, column: str, rule: str) -> str:
    return f"""
    DO $body$
    DECLARE key record;
    BEGIN
        SELECT con.conname, con.confrelid::regclass AS target, att_to.attname AS target_column INTO STRICT key
        FROM pg_constraint con
        JOIN pg_attribute att ON att.attrelid = con.conrelid AND att.attnum = con.conkey[1]
        JOIN pg_attribute att_to ON att_to.attrelid = con.confrelid AND att_to.attnum = con.confkey[1]
        WHERE con.contype = 'f' AND con.conrelid = '{table}'::regclass AND att.attname = '{column}';
        EXECUTE format('ALTER TABLE {table} DROP CONSTRAINT %I', key.conname);
        EXECUTE format(
            'ALTER TABLE {table} ADD CONSTRAINT %I FOREIGN KEY ({column}) REFERENCES %s (%I) {rule} '
            'DEFERRABLE INITIALLY DEFERRED', key.conname, key.target, key.target_column);
    END $body$;
    """

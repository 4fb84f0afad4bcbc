"""What a participant sees. Thin views: find the session, call a service or selector, show a template."""

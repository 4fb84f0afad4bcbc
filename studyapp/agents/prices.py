"""What a reply cost, from the price list that comes with genai-prices; nothing is fetched."""

from decimal import Decimal

from genai_prices import Usage, calc_price

# A server that speaks OpenAI's protocol need not be OpenAI's; its own model names are priced, others are not.
_PRICE_LISTS = {"openai": "openai"}


def price_usd(
    provider_kind: str, model: str, input_tokens: int | None, output_tokens: int | None
) -> Decimal | None:
    """US dollars at list price; 0 for the demo agent; None where the model or the tokens are not known."""
    if provider_kind == "demo":
        return Decimal(0)
    price_list = _PRICE_LISTS.get(provider_kind)
    if price_list is None or input_tokens is None or output_tokens is None:
        return None
    try:
        price = calc_price(
            Usage(input_tokens=input_tokens, output_tokens=output_tokens),
            model_ref=model,
            provider_id=price_list,
        )
    except LookupError:
        return None
    return price.total_price

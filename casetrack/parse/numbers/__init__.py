"""Numbers and dates as sheets and charts show them."""

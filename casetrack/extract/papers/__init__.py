"""What a court paper says of itself: caption, court, parties, printed pages, docket."""

"""Facts that a court paper states about itself: caption, court, parties, printed pages, docket."""

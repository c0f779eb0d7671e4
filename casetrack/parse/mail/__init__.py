"""Mail: single messages (EML, MSG) and mailboxes (MBOX)."""

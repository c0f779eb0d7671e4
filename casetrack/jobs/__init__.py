"""Long work as records that outlive their process."""

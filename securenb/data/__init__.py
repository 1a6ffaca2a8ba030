"""Where records come from, and which nodes hold them."""

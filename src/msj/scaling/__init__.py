"""What happens as clusters grow: load-focused and server-focused scaling, the fluid model, a cluster at many sizes."""

"""What happens as the cluster grows: load-focused and server-focused scaling, the fluid model, a cluster at many sizes."""

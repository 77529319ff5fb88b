"""Pictures, one file each; they take results only."""

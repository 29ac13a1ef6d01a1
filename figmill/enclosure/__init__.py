"""What an author's code is kept from: the sandbox, and the kernel's means that it is made of."""

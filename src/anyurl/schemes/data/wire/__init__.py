"""base64 in URLs: text in, octets out."""

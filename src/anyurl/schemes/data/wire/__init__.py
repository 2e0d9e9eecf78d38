"""base64 as it stands in URLs: text in, octets out."""

"""Decision trees and small, accurate forests that people can read, defend and ship."""

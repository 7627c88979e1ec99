import { Buffer } from 'node:buffer'

/** The `authorization` header of user and password (RFC 7617). */
export function basicHeader(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
}

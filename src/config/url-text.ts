/** A text to show: of a URL, neither user, password nor query, where tokens are carried. Other text is unchanged. */
export function withoutUrlSecrets(text: string): string {
  if (!text.includes('://')) return text
  return text.replace(/:\/\/[^/?#\s]*@/, '://(secret)@').replace(/\?.*$/s, '?(secret)')
}

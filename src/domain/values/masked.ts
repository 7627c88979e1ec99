/** Masked personal data: recognisable, not usable. */

/** `k…@example.com`, `…345`. */
export function maskedAddress(address: string): string {
  const at = address.lastIndexOf('@')
  if (at > 0) return `${[...address][0]}…${address.slice(at)}`
  return `…${address.replaceAll(/\D/g, '').slice(-3)}`
}

/** Addresses used as ids are masked. */
export function maskedId(id: string): string {
  return /[@+]/.test(id) ? maskedAddress(id) : id
}

/** `K. N.` */
export function maskedName(...names: readonly (string | null)[]): string | null {
  const initials = names.flatMap((name) => (name?.trim() ? `${[...name.trim()][0]}.` : []))
  return initials.length === 0 ? null : initials.join(' ')
}

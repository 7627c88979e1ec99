/** The business key of a sale in two parts: its store as it was called then, and POS, receipt and day. */
export function splitSaleKey(key: string): { naming: string; rest: string } {
  const at = key.indexOf('/')
  return { naming: key.slice(0, at), rest: key.slice(at + 1) }
}

/** The same value without fields that are null, at any depth: WooCommerce refuses a null where it expects text. */
export function withoutNulls<T>(value: T): T {
  return JSON.parse(JSON.stringify(value, (_, given: unknown) => (given === null ? undefined : given)))
}

/** The reason without the leading destination name. */
export function bareWhy(destination: string, why: string): string {
  return why.startsWith(`${destination}: `) ? why.slice(destination.length + 2) : why
}

/** An adapter's reason without the name of its destination that it begins with: where that stands beside it already. */
export function bareWhy(destination: string, why: string): string {
  return why.startsWith(`${destination}: `) ? why.slice(destination.length + 2) : why
}

/** `1 day`, `2 days`; a noun whose plural is regular. */
export function counted(count: number, noun: string): string {
  const plural = noun.endsWith('y') && !noun.endsWith('ay') ? `${noun.slice(0, -1)}ies` : `${noun}s`
  return `${count} ${count === 1 ? noun : plural}`
}

/** `1 store`, `2 stores`; `many`: irregular plural. */
export function counted(count: number, noun: string, many = regularPlural(noun)): string {
  return `${count} ${count === 1 ? noun : many}`
}

function regularPlural(noun: string): string {
  return /[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`
}

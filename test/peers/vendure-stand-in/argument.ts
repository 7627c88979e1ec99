/** A part of an input that was checked against the schema. */
export type Input = Record<string, unknown>

/** A part of an input that is an object; nothing is an empty one. */
export function argumentOf(value: unknown, name: string): Input {
  return Object(Object(value)[name]) as Input
}

export function textOf(value: unknown, name: string): string {
  return String(Object(value)[name] ?? '')
}

export function textOrNull(value: unknown, name: string): string | null {
  const found = Object(value)[name]
  return found === undefined || found === null ? null : String(found)
}

export function numberOf(value: unknown, name: string): number {
  return Number(Object(value)[name] ?? 0)
}

export function listOf(value: unknown, name: string): Input[] {
  const found = Object(value)[name]
  return Array.isArray(found) ? found : []
}

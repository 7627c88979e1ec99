/** A call that would be made of an event, or why there is none. */
export interface ShadowCall {
  event: number
  kind: string
  destination: string
  flow: string
  part: string
  entity: string | null
  /** `orders.create` …; null: none would be made. */
  method: string | null
  /** Everything that the call would carry, as text by its path; numbers and texts as they are, personal data too. */
  fields: Readonly<Record<string, string>>
  /** Why none would be made; null: one would. */
  why: string | null
}

/** The name of a step, the same under every config. */
export function nameOfStep({ destination, flow, part }: Pick<ShadowCall, 'destination' | 'flow' | 'part'>): string {
  return JSON.stringify([destination, flow, part])
}

/** What is most likely wrong in config, although a hub can work by it. */
export interface Doubt {
  /** As people read it: `destinations.bus.publish[0]`. */
  key: string
  /** What is there, where the value itself does not tell: names only, no secret. */
  found?: string
  /** What belongs there: completes "found …, expected …". */
  expected: string
}

/** A value of config that is most likely wrong, although a hub can work by it. */
export interface Doubt {
  /** As people read it: `destinations.bus.publish[0]`. */
  key: string
  /** The finding, where the value itself does not tell it: names only, no secret. */
  found?: string
  /** The value that belongs there: completes "found …, expected …". */
  expected: string
}

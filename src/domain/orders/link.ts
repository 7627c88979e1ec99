/**
 * Two ids known to be the same thing in two systems: our `order` `A1` is `99` in the destination `shop`.
 * Adapters return links as facts; the worker writes them in one transaction with the attempt.
 */
export interface Link {
  /** The kind of thing: `order`, `product`, `customer` … */
  kind: string
  /** The id the platform (or the hub's own submission) knows it by. */
  id: string
  /** The destination that knows it by another id. */
  destination: string
  /** The id the destination knows it by. */
  theirId: string
  /**
   * The link says how much of a level the destination was told (so many declined), or under which name: whoever takes the
   * destination's place is not told that again. Whoever keeps the link says so; stores do not give it back.
   */
  isLevel?: true
}

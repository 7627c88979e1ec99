/** External id: our `order` `A1` is `99` at `shop`. Adapters return links; the worker stores them with the attempt. */
export interface Link {
  /** `order`, `product`, `customer` … */
  kind: string
  /** Platform or submission id. */
  id: string
  destination: string
  theirId: string
  /** A cumulative quantity or name: a replacing destination is not told again. Not returned by lookups of ids. */
  isLevel?: true
}

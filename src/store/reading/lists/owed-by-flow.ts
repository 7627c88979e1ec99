/** How many deliveries of a flow are open or dead. */
export interface OwedByFlow {
  flow: string
  deliveries: number
}

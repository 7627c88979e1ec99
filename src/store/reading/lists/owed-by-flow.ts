export interface OwedByFlow {
  flow: string
  deliveries: number
}

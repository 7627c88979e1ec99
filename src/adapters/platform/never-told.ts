/** Why the platform's word that there is no such order proves nothing. */
export function neverTold(orderNo: string): string {
  return (
    `this platform has never told of any order, so its word that there is no order ${orderNo} proves nothing: it may have ` +
    'no such endpoint. Look for the order at the till or in the portal; where orders are read otherwise: ' +
    'platform.endpoints, orders.read'
  )
}

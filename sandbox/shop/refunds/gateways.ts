/** The ways to pay in the shop, and what each can do (`method_supports`). */
interface Gateway {
  id: string
  title: string
  supports: readonly string[]
}

/** A card provider that gives money back when it is told to, and two ways that no program can reverse. */
const GATEWAYS: readonly Gateway[] = [
  { id: 'sandbox_card', title: 'Card', supports: ['products', 'refunds'] },
  { id: 'bacs', title: 'Direct bank transfer', supports: ['products'] },
  { id: 'cod', title: 'Cash on delivery', supports: ['products'] },
]

export function gatewayOf(id: string): Gateway | undefined {
  return GATEWAYS.find((gateway) => gateway.id === id)
}

/** A gateway as `GET /payment_gateways/{id}` shows it. */
export function gatewayJson({ id, title, supports }: Gateway, api: string): Record<string, unknown> {
  return {
    id,
    title,
    description: '',
    order: '',
    enabled: true,
    method_title: title,
    method_description: '',
    method_supports: supports,
    settings: {},
    _links: {
      self: [{ href: `${api}/payment_gateways/${id}` }],
      collection: [{ href: `${api}/payment_gateways` }],
    },
  }
}

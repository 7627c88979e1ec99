/** Somebody who orders at the POS, or wants a receipt. */
export interface Customer {
  customerId: number
  /** The customer's id in the retailer's own systems. */
  customerExtId: string
  firstName: string
  lastName: string
  email: string
  /** The country's, without a plus. */
  phonePrefix: string
  /** Without the prefix. */
  phone: string
  address: Address
}

/** As the sale payload has it. */
interface Address {
  address1: string
  city: string
  postalCode: string
  country: string
  countryCode: string
}

/** The customers that the POS know. */
export const CUSTOMERS: readonly Customer[] = [
  customer(4711, 'Kari', 'Nordmann', 'kari.nordmann@example.com', '91234567', 'Storgata 12', '0184', 'Oslo'),
  customer(4712, 'Ola', 'Hansen', 'ola.hansen@example.com', '92345678', 'Nygårdsgaten 5', '5015', 'Bergen'),
  customer(4713, 'Åse', 'Bjørnstad', 'aase.bjornstad@example.com', '93456789', 'Søndre gate 20', '7010', 'Trondheim'),
]

function customer(
  customerId: number,
  firstName: string,
  lastName: string,
  email: string,
  phone: string,
  address1: string,
  postalCode: string,
  city: string,
): Customer {
  const address = { address1, city, postalCode, country: 'Norway', countryCode: 'NO' }
  return { customerId, customerExtId: `C-${customerId}`, firstName, lastName, email, phonePrefix: '47', phone, address }
}

import type { CustomerRecord } from '../../domain/people/customer-record.ts'

/** Nobody: to see at the start what shape a template makes of several customers. */
export const SAMPLE_CUSTOMERS: readonly CustomerRecord[] = ['1', '2'].map((customerId) => ({
  customerId,
  extId: `C-${customerId}`,
  email: `someone${customerId}@example.com`,
  firstName: 'Some',
  lastName: 'One',
  companyName: 'Example',
  phone: `+479000000${customerId}`,
  address: 'Storgata 1',
  postalCode: '0155',
  city: 'Oslo',
  countryCode: 'NO',
}))

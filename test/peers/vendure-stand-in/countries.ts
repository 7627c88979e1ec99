import { GraphqlFault } from './fault.ts'

const COUNTRIES: Readonly<Record<string, string>> = { NO: 'Norway', SE: 'Sweden' }

export function countryOf(code: string): string {
  const country = COUNTRIES[code]
  if (country !== undefined) return country
  throw new GraphqlFault(`The countryCode "${code}" was not recognized`, 'USER_INPUT_ERROR')
}

/** Of a person at the console, least first. */
export const ROLES = ['viewer', 'support', 'finance', 'operator', 'admin'] as const

export type Role = (typeof ROLES)[number]

/** Of a person at the console, least first. */
export const ROLES = ['viewer', 'support', 'finance', 'operator', 'admin'] as const

export type Role = (typeof ROLES)[number]

/** Who may see what is said of people, and help them. */
export const HELPING: readonly Role[] = ['support', 'operator', 'admin']
export const BOOKING: readonly Role[] = ['finance', 'operator', 'admin']
export const OPERATING: readonly Role[] = ['operator', 'admin']
export const RULING: readonly Role[] = ['admin']

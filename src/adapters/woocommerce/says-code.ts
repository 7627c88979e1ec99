/** Whether the shop refused with this code of its own: a message about a refusal ends with it, and says nothing more. */
export function saysCode(error: unknown, code: string): boolean {
  return error instanceof Error && error.message.endsWith(`: ${code}`)
}

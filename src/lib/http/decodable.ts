/** Whether each % of a text begins an escape: the user and password of an address can be read then. */
export function isDecodable(text: string): boolean {
  try {
    return decodeURIComponent(text) !== null
  } catch {
    return false
  }
}

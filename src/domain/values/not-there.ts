const WHERE = {
  event:
    '"tillbridge events list" shows those that are here; what retention took may be in the archive ("tillbridge archive restore <id>").',
  delivery:
    '"tillbridge deliveries list" shows those that there are; retention deletes them together with their event.',
  gap: '"tillbridge gaps list" shows those that are open.',
  act: '"tillbridge audit list" shows those that are kept.',
}

export function notThere(what: keyof typeof WHERE, id: number | string): string {
  return `There is no ${what} ${id}. ${WHERE[what]}`
}

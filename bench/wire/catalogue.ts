/** A product of a catalogue, as an ERP submits it: about 700 bytes, three sizes. The number makes it the only one of its kind. */
export function productLine(number: number): string {
  const id = String(number).padStart(6, '0')
  return `${JSON.stringify({
    extId: `STYLE-${id}-BLK`,
    createProductSpecificSize: true,
    name: `Wool jumper ${id}`,
    number: `STYLE-${id}`,
    variant: 'BLK',
    groupName: 'Knitwear',
    color: 'Black',
    season: '2026-AW',
    brand: 'Nordlys',
    price: 1299.5,
    cost: 412.25,
    description: 'A jumper of fine merino wool, knitted in one piece, for days when the wind comes from the sea.',
    productSizes: ['S', 'M', 'L'].map((label, index) => ({
      externalSKU: `STYLE-${id}-BLK-${label}`,
      gtin: gtin(number * 3 + index),
      label,
      labelSortIndex: String(index),
    })),
    images: [`https://images.example.com/${id}/front.jpg`, `https://images.example.com/${id}/back.jpg`],
  })}\n`
}

/** A GTIN-13 of a block that nobody has, with its check digit. */
function gtin(number: number): string {
  const digits = `299${String(number).padStart(9, '0')}`
  const sum = [...digits].reduce((total, digit, index) => total + Number(digit) * (index % 2 === 0 ? 1 : 3), 0)
  return `${digits}${(10 - (sum % 10)) % 10}`
}

import t from 'tap'
import {
  checkPackList,
  PACK_LIST_LIMITS,
} from '../../../../src/labels/documents/pack-list/check.ts'
import { LabelFault } from '../../../../src/labels/fault.ts'

/** The message of the refusal, or '' when it was taken. */
function refusal(value: unknown): string {
  try {
    checkPackList(value)
    return ''
  } catch (error) {
    if (!(error instanceof LabelFault) || error.code !== 'PACKLIST_INVALID') throw error
    return error.message
  }
}

t.test('every field may be left out, null or empty, but for one item', (t) => {
  const list = checkPackList({ items: [{}] })
  t.equal(list.orderNumber, '')
  t.equal(list.tax, undefined)
  t.same(list.items, [{ sku: '', desc: '', price: undefined, qty: undefined }])
  t.same(
    checkPackList({
      items: [{ sku: null, price: '', qty: null }],
      to_address: null,
      custom_fields: null,
      tax: null,
    }),
    list,
  )
  t.end()
})

t.test('all fields of the seed are read', (t) => {
  const address = { name: 'n', addr1: 'a', addr2: 'b', city: 'c', state: 's', postcode: 'p' }
  const list = checkPackList({
    order_number: 1001,
    date: '06/15/2026',
    user: 'a@example.com',
    ship_date: '06/16/2026',
    shipping_cost: 1.5,
    tax: '2.25',
    discounts: 3,
    shipper_address: address,
    to_address: { ...address, postcode: 62701 },
    items: [{ sku: 'S', desc: 'D', price: '9.99', qty: '3', color: 'ignored' }],
    custom_fields: [{ key: 'k', value: 'v' }],
  })
  t.same(list, {
    orderNumber: '1001',
    date: '06/15/2026',
    user: 'a@example.com',
    shipDate: '06/16/2026',
    shippingCost: 15_000_000_000n,
    tax: 22_500_000_000n,
    discounts: 30_000_000_000n,
    shipper: address,
    to: { ...address, postcode: '62701' },
    items: [{ sku: 'S', desc: 'D', price: 99_900_000_000n, qty: 3 }],
    customFields: [{ key: 'k', value: 'v' }],
  })
  t.end()
})

t.test('a refusal names the key, what was seen and what was wanted', (t) => {
  const item = { sku: 'S' }
  const refused: readonly (readonly [unknown, string])[] = [
    [null, 'the pack list is missing; wanted an object.'],
    ['x', 'the pack list is the text "x"; wanted an object.'],
    [[], 'the pack list is an array; wanted an object.'],
    [{}, 'items is empty or missing; wanted at least one item.'],
    [{ items: [] }, 'items is empty or missing; wanted at least one item.'],
    [{ items: {} }, 'items is an object; wanted an array.'],
    [
      { items: [item, { name: 'Mug', quantity_ordered: 2 }] },
      'items[1] has the keys name, quantity…; wanted sku, desc, price, qty.',
    ],
    [{ items: [item, 5] }, 'items[1] is 5; wanted an object.'],
    [
      { items: [{ qty: 'two' }] },
      'items[0].qty is the text "two"; wanted a whole number from 0 to 1000000.',
    ],
    [{ items: [{ qty: 1.5 }] }, 'items[0].qty is 1.5; wanted a whole number from 0 to 1000000.'],
    [{ items: [{ qty: -1 }] }, 'items[0].qty is -1; wanted a whole number from 0 to 1000000.'],
    [
      { items: [{ price: 'twelve dollars' }] },
      'items[0].price is the text "twelve d…"; wanted a number such as 12.50, at most 1000000000 either way.',
    ],
    [{ items: [item], order_number: ['a'] }, 'order_number is an array; wanted a text.'],
    [{ items: [item], date: true }, 'date is true; wanted a text.'],
    [
      { items: [item], to_address: 'Main St' },
      'to_address is the text "Main St"; wanted an object.',
    ],
    [{ items: [item], to_address: { city: {} } }, 'to_address.city is an object; wanted a text.'],
    [
      { items: [item], custom_fields: [{ key: {} }] },
      'custom_fields[0].key is an object; wanted a text.',
    ],
  ]
  for (const [value, message] of refused) t.equal(refusal(value), message)
  t.end()
})

t.test('several faults are told at once, five of them by name', (t) => {
  t.equal(refusal({ date: 1n, tax: 'x', items: [{ qty: 'a' }] }).split('; wanted').length - 1, 3)
  t.match(
    refusal({ items: Array.from({ length: 9 }, () => 1) }),
    /items\[4\].*; and 4 more faults\.$/,
  )
  t.end()
})

t.test('lengths and counts are bounded, and the message holds nothing of a long text', (t) => {
  const item = { sku: 'S' }
  const long = 'x'.repeat(10_000)
  t.equal(
    refusal({ items: [{ desc: long }] }),
    `items[0].desc has 10000 characters; wanted at most ${PACK_LIST_LIMITS.longText}.`,
  )
  t.match(refusal({ items: [item], user: long }), /^user has 10000 characters; wanted at most 200/)
  t.match(refusal({ items: Array.from({ length: 1001 }, () => item) }), /^items has 1001 entries/)
  t.match(
    refusal({ items: [item], custom_fields: Array.from({ length: 201 }, () => ({})) }),
    /^custom_fields has 201 entries; wanted at most 200/,
  )
  t.match(
    refusal({ items: Array.from({ length: 101 }, () => ({ desc: 'x'.repeat(4000) })) }),
    /^all texts together have 404000 characters; wanted at most 400000/,
  )
  t.end()
})

/** An order as a shop sends it. */
export const ORDER = {
  order_number: '1000234567',
  date: '06/15/2026',
  ship_date: '06/16/2026',
  user: 'jane.doe@example.com',
  shipping_cost: 5.99,
  tax: 8.25,
  discounts: 10,
  shipper_address: {
    name: 'Acme Outdoor Supply',
    addr1: '1 Warehouse Way',
    city: 'Reno',
    state: 'NV',
    postcode: '89501',
  },
  to_address: {
    name: 'Jane Doe',
    addr1: '742 Evergreen Terrace',
    addr2: 'Apt 4B',
    city: 'Springfield',
    state: 'IL',
    postcode: '62701',
  },
  items: [
    {
      sku: 'TENT-2P-GRN',
      desc: 'Two person tent, green, with footprint and pegs',
      price: 129.5,
      qty: 1,
    },
    { sku: 'STOVE-GAS', desc: 'Gas stove', price: 34, qty: 2 },
    {
      sku: 'MUG-ENAMEL-0.4L',
      desc: 'Enamel mug 0.4 l, “Wanderlust”, crème',
      price: '7.25',
      qty: '12',
    },
  ],
  custom_fields: [{ key: 'Gift message', value: 'Happy birthday, Jane!\nLove, Tom' }],
}

/** Yields the first items of a list, and fetches no page after them. */
export async function* take<Item>(items: AsyncIterable<Item>, count: number): AsyncGenerator<Item> {
	let left = count
	if (left <= 0) return
	for await (const item of items) {
		yield item
		if (--left === 0) return
	}
}

type Room = { capacity: number | null; waitlist_enabled: boolean }
type Rsvp = { member: number; status: 'going' | 'waitlisted' }

/** How places at events are given out, played with lists: who comes first, and who gets a place that is given back. */
export function openRsvpModel() {
	const rooms = new Map<number, Room & { rsvps: Rsvp[] }>()
	const roomOf = (id: number) => rooms.get(id) ?? { capacity: null, waitlist_enabled: false, rsvps: [] }
	const hasPlace = ({ capacity, rsvps }: ReturnType<typeof roomOf>) =>
		capacity === null || rsvps.filter(({ status }) => status === 'going').length < capacity

	function promote(id: number): void {
		const room = roomOf(id)
		for (const rsvp of room.rsvps) if (hasPlace(room)) rsvp.status = 'going'
	}

	return {
		ids: () => [...rooms.keys()],
		open: (id: number, room: Room) => rooms.set(id, { ...room, rsvps: [] }),
		close: (id: number) => rooms.delete(id),
		/** In the order in which they came. */
		rowsOf: (id: number) => roomOf(id).rsvps,
		/** The status that the answer has. */
		attend(id: number, member: number): 200 | 409 {
			const room = roomOf(id)
			const mine = room.rsvps.find((rsvp) => rsvp.member === member)
			if (mine?.status === 'going') return 200
			if (!hasPlace(room) && !room.waitlist_enabled) return 409
			if (!mine) room.rsvps.push({ member, status: hasPlace(room) ? 'going' : 'waitlisted' })
			return 200
		},
		leave(id: number, member: number): void {
			const room = roomOf(id)
			room.rsvps.splice(0, room.rsvps.length, ...room.rsvps.filter((rsvp) => rsvp.member !== member))
			promote(id)
		},
		change(id: number, change: Room): void {
			Object.assign(roomOf(id), change)
			promote(id)
		},
	}
}

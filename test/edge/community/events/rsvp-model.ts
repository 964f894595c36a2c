type Seating = { capacity: number | null; waitlist_enabled: boolean }
type Rsvp = { member: number; status: 'going' | 'waitlisted' }

/** Models RSVPs with plain lists: first come, first served, and the longest-waiting member gets a free place. */
export function openRsvpModel() {
	const rooms = new Map<number, Seating & { rsvps: Rsvp[] }>()
	const roomOf = (id: number) => rooms.get(id) ?? { capacity: null, waitlist_enabled: false, rsvps: [] }
	const hasPlace = ({ capacity, rsvps }: ReturnType<typeof roomOf>) =>
		capacity === null || rsvps.filter(({ status }) => status === 'going').length < capacity

	function promote(id: number): void {
		const room = roomOf(id)
		for (const rsvp of room.rsvps) if (hasPlace(room)) rsvp.status = 'going'
	}

	function leave(id: number, member: number): void {
		const room = roomOf(id)
		room.rsvps.splice(0, room.rsvps.length, ...room.rsvps.filter((rsvp) => rsvp.member !== member))
		promote(id)
	}

	return {
		ids: () => [...rooms.keys()],
		open: (id: number, room: Seating) => rooms.set(id, { ...room, rsvps: [] }),
		close: (id: number) => rooms.delete(id),
		/** Returns the RSVPs of an event in order of arrival. */
		rsvpRows: (id: number) => roomOf(id).rsvps,
		/** Attends an event and returns the expected response status. */
		attend(id: number, member: number): 200 | 409 {
			const room = roomOf(id)
			const mine = room.rsvps.find((rsvp) => rsvp.member === member)
			if (mine?.status === 'going') return 200
			if (!hasPlace(room) && !room.waitlist_enabled) return 409
			if (!mine) room.rsvps.push({ member, status: hasPlace(room) ? 'going' : 'waitlisted' })
			return 200
		},
		leave,
		/** Leaves all events, as when a membership ends. No event of the model is over. */
		leaveAll(member: number): void {
			for (const id of rooms.keys()) leave(id, member)
		},
		change(id: number, change: Seating): void {
			Object.assign(roomOf(id), change)
			promote(id)
		},
	}
}

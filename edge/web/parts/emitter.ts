/** Calls handlers of named events. `Events` maps each name to the value that handlers receive. */
export function openEmitter<Events>() {
	const handlers = new Map<keyof Events, Set<(value: never) => void>>()
	return {
		on<Name extends keyof Events>(name: Name, handler: (value: Events[Name]) => void): void {
			const all = handlers.get(name) ?? new Set()
			handlers.set(name, all.add(handler))
		},
		emit<Name extends keyof Events>(name: Name, value: Events[Name]): void {
			for (const handler of handlers.get(name) ?? []) (handler as (value: Events[Name]) => void)(value)
		},
	}
}

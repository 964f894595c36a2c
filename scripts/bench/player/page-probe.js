// Runs in the page, before its own scripts (visit.ts).
// biome-ignore lint/correctness/noUnusedVariables: visit.ts calls it
function probePage({ button, lateMs }) {
	const seen = { answeredMs: 0, buttonMs: 0, clickMs: 0, frameMs: 0, frameHeight: 0, lcpMs: 0, cls: 0 }
	// A button works once it has a listener for clicks. Vidstack listens to the pointer.
	const clickable = new WeakSet()
	const { addEventListener } = EventTarget.prototype
	EventTarget.prototype.addEventListener = function (...args) {
		if (args[0] === 'click' || args[0] === 'pointerup') clickable.add(this ?? window)
		return addEventListener.apply(this ?? window, args)
	}
	/** Finds the elements with a selector, also in shadow trees. */
	const findAll = (selector, tree = document) => [
		...tree.querySelectorAll(selector),
		...[...tree.querySelectorAll('*')].flatMap(({ shadowRoot }) =>
			shadowRoot ? findAll(selector, shadowRoot) : [],
		),
	]
	/** Returns the middle of a button if a click there would reach it. */
	const pointOf = (found) => {
		const { left, top, width, height } = found.getBoundingClientRect()
		const point = { x: left + width / 2, y: top + height / 2 }
		const highest = found.getRootNode().elementFromPoint(point.x, point.y)
		return width > 0 && clickable.has(found) && found.contains(highest) ? point : undefined
	}
	const look = () => {
		const point = findAll(button).map(pointOf).find(Boolean)
		if (!point) return requestAnimationFrame(look)
		seen.buttonMs = performance.now()
		if (lateMs === null) return window.benchClick(point)
		const later = () => setTimeout(() => window.benchClick(point), lateMs)
		if (document.readyState === 'complete') later()
		else addEventListener.call(window, 'load', later)
	}
	requestAnimationFrame(look)
	const watchFrame = ({ timeStamp }) => {
		seen.clickMs = timeStamp
		findAll('video')[0].requestVideoFrameCallback((now, { height }) => {
			seen.frameMs = now
			seen.frameHeight = height
			seen.answeredMs = performance.getEntriesByType('navigation')[0].responseStart
			window.benchFrame(seen)
		})
	}
	// Some players prevent the click that follows a touch.
	addEventListener.call(window, 'pointerup', watchFrame, { capture: true, once: true })
	const observe = (type, see) =>
		new PerformanceObserver((list) => {
			for (const entry of list.getEntries()) see(entry)
		}).observe({ type, buffered: true })
	observe('largest-contentful-paint', ({ startTime }) => {
		seen.lcpMs = startTime
	})
	observe('layout-shift', ({ value }) => {
		seen.cls += value
	})
}

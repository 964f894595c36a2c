// Runs in the page, before its own scripts (visit.ts).
// biome-ignore lint/correctness/noUnusedVariables: visit.ts calls it
function probePage({ button, lateMs }) {
	const seen = { answeredMs: 0, buttonMs: 0, clickMs: 0, frameMs: 0, lcpMs: 0, cls: 0 }
	// A button works once it has a listener for clicks.
	const clickable = new WeakSet()
	const { addEventListener } = EventTarget.prototype
	EventTarget.prototype.addEventListener = function (...args) {
		if (args[0] === 'click') clickable.add(this ?? window)
		return addEventListener.apply(this ?? window, args)
	}
	const look = () => {
		const found = document.querySelector(button)
		const { left = 0, top = 0, width = 0, height = 0 } = found?.getBoundingClientRect() ?? {}
		const point = { x: left + width / 2, y: top + height / 2 }
		if (!clickable.has(found) || !found.contains(document.elementFromPoint(point.x, point.y)))
			return requestAnimationFrame(look)
		seen.buttonMs = performance.now()
		if (lateMs === null) return window.benchClick(point)
		const later = () => setTimeout(() => window.benchClick(point), lateMs)
		if (document.readyState === 'complete') later()
		else addEventListener.call(window, 'load', later)
	}
	requestAnimationFrame(look)
	const watchFrame = ({ timeStamp }) => {
		seen.clickMs = timeStamp
		document.querySelector('video').requestVideoFrameCallback((now) => {
			seen.frameMs = now
			seen.answeredMs = performance.getEntriesByType('navigation')[0].responseStart
			window.benchFrame(seen)
		})
	}
	addEventListener.call(window, 'click', watchFrame, { capture: true, once: true })
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

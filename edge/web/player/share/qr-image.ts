import { createIcon } from '../../parts/elements.ts'
import { drawQrCode } from './qr-code.ts'

/** In modules; the standard requires it, so that readers find the code. */
const MARGIN = 4

/** Returns a QR code that viewers scan with a phone. It is hidden if the text is too long. */
export function createQrImage(label: string) {
	const root = createIcon('')
	root.classList.add('qr-code')
	root.removeAttribute('aria-hidden')
	root.setAttribute('role', 'img')
	root.setAttribute('aria-label', label)
	return {
		root,
		show(text: string) {
			const code = drawQrCode(text)
			root.toggleAttribute('hidden', code === null)
			if (!code) return
			const size = code.length + 2 * MARGIN
			root.setAttribute('viewBox', `${-MARGIN} ${-MARGIN} ${size} ${size}`)
			const cells = code.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')))
			root.querySelector('path')?.setAttribute('d', cells.join(''))
		},
	}
}

/** Paths of icons in a square of 24. */
export const icons = {
	play: 'M8 5.2v13.6L19 12z',
	pause: 'M7 5h3.5v14H7zM13.5 5H17v14h-3.5z',
	replay: 'M12 5V1.8L7.2 6.5 12 11V7.6a5.2 5.2 0 1 1-5.2 5.2H4.2A7.8 7.8 0 1 0 12 5z',
	volume: 'M4 9.2v5.6h3.8L13 19.5v-15L7.8 9.2zM15.5 8.2a5.4 5.4 0 0 1 0 7.6l1.3 1.3a7.2 7.2 0 0 0 0-10.2z',
	muted:
		'M4 9.2v5.6h3.8L13 19.5v-15L7.8 9.2zM15.3 9.7l4.6 4.6 1.2-1.2-4.6-4.6zM19.9 9.7l-4.6 4.6-1.2-1.2 4.6-4.6z',
	settings:
		'M19.4 13a7.6 7.6 0 0 0 0-2l2-1.5-2-3.5-2.4 1a7.6 7.6 0 0 0-1.7-1L15 3.5h-4l-.4 2.5a7.6 7.6 0 0 0-1.7 1l-2.4-1-2 3.5 2 1.5a7.6 7.6 0 0 0 0 2l-2 1.5 2 3.5 2.4-1a7.6 7.6 0 0 0 1.7 1l.4 2.5h4l.4-2.5a7.6 7.6 0 0 0 1.7-1l2.4 1 2-3.5zM13 15.2a3.2 3.2 0 1 1 0-6.4 3.2 3.2 0 0 1 0 6.4z',
	captions:
		'M4 5h16a1.5 1.5 0 0 1 1.5 1.5v11A1.5 1.5 0 0 1 20 19H4a1.5 1.5 0 0 1-1.5-1.5v-11A1.5 1.5 0 0 1 4 5zm1.5 5v4h5v-1.3H7v-1.4h3.5V10zm8 0v4h5v-1.3H15v-1.4h3.5V10z',
	pictureInPicture: 'M3 5h18v14H3zm1.8 1.8v10.4h14.4V6.8zM12 11.5h6v4.5h-6z',
	fullscreen: 'M4 4h6v2H6v4H4zM14 4h6v6h-2V6h-4zM4 14h2v4h4v2H4zM18 14h2v6h-6v-2h4z',
	leaveFullscreen: 'M8 4h2v6H4V8h4zM14 4h2v4h4v2h-6zM4 14h6v6H8v-4H4zM14 14h6v2h-4v4h-2z',
	theater: 'M2.5 6h19v12h-19zm1.8 1.8v8.4h15.4V7.8z',
	airplay: 'M4 5h16v11h-3.5v-1.7h1.7V6.7H5.8v7.6h1.7V16H4zM12 13.5l5 6H7z',
	chapters: 'M4 6h2v2H4zM8 6h12v2H8zM4 11h2v2H4zM8 11h12v2H8zM4 16h2v2H4zM8 16h12v2H8z',
	close: 'M6.4 5 5 6.4l5.6 5.6L5 17.6 6.4 19l5.6-5.6 5.6 5.6 1.4-1.4-5.6-5.6L19 6.4 17.6 5 12 10.6z',
}

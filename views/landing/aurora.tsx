/** The image of the example page: northern lights above mountains. */
export function Aurora() {
  return (
    <svg viewBox="0 0 400 210" class="picture" aria-hidden="true">
      <rect width="400" height="210" fill="#0b1f3a" />
      <path d="M0 120C80 20 120 150 200 70S330 20 400 90v40C320 70 290 140 200 130S90 90 0 170z" fill="#2fbf8f" />
      <path d="M0 90C90 10 150 110 220 50S340 0 400 50v25C330 40 290 100 220 90S80 60 0 130z" fill="#7ee2b8" />
      <path d="M0 210v-40l70-30 60 35 70-55 80 50 50-25 70 40v25z" fill="#06101f" />
    </svg>
  )
}

# Draws man/figures/logo.svg: in a hexagon a polytope with the level curves of a function whose minimum lies outside of it, and the way
# that Frank-Wolfe steps take to the nearest point of its edge. The steps are computed, not drawn by eye. Run: Rscript tools/logo.R

# A regular hexagon that stands on a corner, 240 wide.
angle <- pi / 180 * seq(30, 330, by = 60)
hexagon <- cbind(120 * cos(angle) / cos(pi / 6), 120 * sin(angle) / cos(pi / 6))
polytope <- rbind(c(-78, 38), c(-52, -44), c(26, -62), c(70, -8), c(34, 62))
target <- c(86, 62)

# Plain Frank-Wolfe with the exact step, from a corner.
steps <- function(x, n) {
  path <- x
  for (t in seq_len(n)) {
    d <- polytope[which.min(polytope %*% (x - target)), ] - x
    x <- x + min(1, max(0, -sum((x - target) * d) / sum(d^2))) * d
    path <- rbind(path, x)
  }
  unname(path)
}

centre <- c(120, 139)
at <- function(points) {
  points <- sweep(matrix(points, ncol = 2), 2, c(1, 1), `*`)
  paste(sprintf("%.1f,%.1f", centre[1] + points[, 1], centre[2] + points[, 2]), collapse = " ")
}
shape <- function(name, points, style) sprintf('  <%s points="%s" %s/>', name, at(points), style)
circle <- function(point, r, style) sprintf('  <circle cx="%.1f" cy="%.1f" r="%.1f" %s/>', centre[1] + point[1], centre[2] + point[2], r, style)

way <- steps(polytope[1, ], 9)
svg <- c(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 240 278" width="240" height="278" role="img" aria-label="acfw">',
  '  <defs><clipPath id="inside">', shape("polygon", hexagon * 0.965, ""), '  </clipPath></defs>',
  shape("polygon", hexagon * 0.98, 'fill="#f7f4ec" stroke="#0072B2" stroke-width="7"'),
  '  <g clip-path="url(#inside)" fill="none">',
  vapply(seq(22, 160, by = 23), function(r) circle(target, r, 'stroke="#0072B2" stroke-width="1.4" opacity="0.35"'), ""),
  '  </g>',
  shape("polygon", polytope, 'fill="#0072B2" fill-opacity="0.14" stroke="#0072B2" stroke-width="3" stroke-linejoin="round"'),
  shape("polyline", way, 'fill="none" stroke="#D55E00" stroke-width="3.5" stroke-linejoin="round" stroke-linecap="round"'),
  circle(way[1, ], 5, 'fill="#D55E00"'), circle(way[nrow(way), ], 6, 'fill="#D55E00" stroke="#f7f4ec" stroke-width="1.5"'),
  sprintf('  <text x="%.0f" y="%.0f" text-anchor="middle" font-family="sans-serif" font-size="40" font-weight="bold" fill="#0072B2">acfw</text>',
          centre[1], centre[2] + 102),
  '</svg>'
)
writeLines(svg, "man/figures/logo.svg")

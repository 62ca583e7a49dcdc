#include "lib/run/report_assets.h"

namespace grasppanda::run {

// One drawing context for all scenes (browsers allow few): it moves to the scene that is looked at,
// the one that it leaves keeps a still picture.
const std::string_view kReportViewer = R"js(
(() => {
  "use strict";
  const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
  const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  const unit = (a) => { const n = Math.hypot(...a) || 1; return a.map((v) => v / n); };
  const along = (a, s, b) => [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]];

  // Column-major: clip space from the scene's frame.
  function projection(eye, forward, up, aspect, near, far) {
    const f = unit(forward), r = unit(cross(f, up)), u = cross(r, f), t = 1 / Math.tan(0.45);
    const rows = [
      [...r.map((v) => v * t / aspect), -dot(r, eye) * t / aspect],
      [...u.map((v) => v * t), -dot(u, eye) * t],
      [...f.map((v) => v * (far + near) / (far - near)),
       -dot(f, eye) * (far + near) / (far - near) - 2 * far * near / (far - near)],
      [...f, -dot(f, eye)]];
    return new Float32Array([0, 1, 2, 3].flatMap((column) => rows.map((row) => row[column])));
  }

  function read(element) {
    const data = JSON.parse(document.getElementById(element.dataset.scene).textContent);
    const whole = new Int16Array(bytes(data.points).buffer);
    const points = new Float32Array(whole.length);
    for (let i = 0; i < whole.length; ++i) points[i] = data.middle[i % 3] + whole[i] * data.step;
    const corners = new Float32Array(bytes(data.triangles).buffer);
    const flat = bytes(data.triangle_colors), lit = new Uint8Array(flat.length * 3);
    const light = unit([0.4, -0.7, -0.6]);
    for (let i = 0; i < corners.length; i += 9) {
      const p = (k) => [corners[i + k], corners[i + k + 1], corners[i + k + 2]];
      const normal = unit(cross(along(p(3), -1, p(0)), along(p(6), -1, p(0))));
      const shade = 0.72 + 0.28 * dot(normal, light);
      for (let k = 0; k < 9; ++k) lit[i + k] = flat[i / 3 + k % 3] * shade;
    }
    return {points, colors: bytes(data.colors), corners, lit, view: data.view,
            per_grasp: data.vertices_per_grasp, yaw: 0, pitch: 0, zoom: 1, shift: [0, 0, 0]};
  }

  const canvas = document.createElement("canvas");
  const gl = canvas.getContext("webgl", {antialias: true, preserveDrawingBuffer: true});
  const elements = [...document.querySelectorAll(".scene")];
  if (!gl) {
    for (const e of elements) e.querySelector(".hint").textContent = "this browser offers no WebGL; see the .ply file";
    return;
  }
  const shader = (kind, source) => {
    const s = gl.createShader(kind);
    gl.shaderSource(s, source);
    gl.compileShader(s);
    return s;
  };
  const program = gl.createProgram();
  gl.attachShader(program, shader(gl.VERTEX_SHADER,
    "attribute vec3 place; attribute vec3 color; uniform mat4 m; uniform float size; varying vec3 c;" +
    "void main() { gl_Position = m * vec4(place, 1.0); gl_PointSize = clamp(size / gl_Position.w, 1.0, 12.0); c = color; }"));
  gl.attachShader(program, shader(gl.FRAGMENT_SHADER,
    "precision mediump float; varying vec3 c; void main() { gl_FragColor = vec4(c, 1.0); }"));
  gl.linkProgram(program);
  gl.useProgram(program);
  const at = {place: gl.getAttribLocation(program, "place"), color: gl.getAttribLocation(program, "color"),
              m: gl.getUniformLocation(program, "m"), size: gl.getUniformLocation(program, "size")};
  gl.enableVertexAttribArray(at.place);
  gl.enableVertexAttribArray(at.color);
  gl.enable(gl.DEPTH_TEST);
  const buffers = [0, 1, 2, 3].map(() => gl.createBuffer());

  let element = null, scene = null, asked = false;
  const scenes = new Map();

  function fill() {
    [scene.points, scene.colors, scene.corners, scene.lit].forEach((data, i) => {
      gl.bindBuffer(gl.ARRAY_BUFFER, buffers[i]);
      gl.bufferData(gl.ARRAY_BUFFER, data, gl.STATIC_DRAW);
    });
  }
  function show(first, count, mode) {
    gl.bindBuffer(gl.ARRAY_BUFFER, buffers[first]);
    gl.vertexAttribPointer(at.place, 3, gl.FLOAT, false, 0, 0);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffers[first + 1]);
    gl.vertexAttribPointer(at.color, 3, gl.UNSIGNED_BYTE, true, 0, 0);
    gl.drawArrays(mode, 0, count);
  }
  function draw() {
    asked = false;
    if (!scene) return;
    const scale = window.devicePixelRatio || 1;
    const width = Math.max(1, Math.round(element.clientWidth * scale));
    const height = Math.max(1, Math.round(element.clientHeight * scale));
    if (canvas.width !== width || canvas.height !== height) { canvas.width = width; canvas.height = height; }
    const v = scene.view, f0 = unit(v.forward), r0 = unit(cross(f0, v.up)), u0 = cross(r0, f0);
    const [cy, sy, cp, sp] = [Math.cos(scene.yaw), Math.sin(scene.yaw), Math.cos(scene.pitch), Math.sin(scene.pitch)];
    const forward = [0, 1, 2].map((i) => f0[i] * cy * cp + r0[i] * sy * cp - u0[i] * sp);
    const distance = v.distance * scene.zoom;
    const center = along(v.center, 1, scene.shift);
    const eye = along(center, -distance, forward);
    gl.viewport(0, 0, width, height);
    gl.clearColor(0.078, 0.09, 0.102, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.uniformMatrix4fv(at.m, false, projection(eye, forward, u0, width / height, distance / 200, distance * 20 + 10));
    gl.uniform1f(at.size, 1.5 * v.spacing * height);
    show(0, scene.points.length / 3, gl.POINTS);
    const slider = document.getElementById(element.dataset.scene + "-best");
    const best = slider ? Number(slider.value) : 0;
    show(2, Math.min(best * scene.per_grasp, scene.corners.length / 3), gl.TRIANGLES);
    scene.axes = {right: unit(cross(forward, u0)), up: unit(cross(cross(forward, u0), forward)), distance};
  }
  function redraw() { if (!asked) { asked = true; requestAnimationFrame(draw); } }

  function enter(next) {
    if (element === next) return;
    if (element) {
      draw();
      element.style.backgroundImage = "url(" + canvas.toDataURL("image/png") + ")";
    }
    if (!scenes.has(next)) scenes.set(next, read(next));
    element = next;
    scene = scenes.get(next);
    element.prepend(canvas);
    fill();
    redraw();
  }

  const pointers = new Map();
  canvas.addEventListener("pointerdown", (e) => { canvas.setPointerCapture(e.pointerId); pointers.set(e.pointerId, e); });
  for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, (e) => pointers.delete(e.pointerId));
  canvas.addEventListener("pointermove", (e) => {
    const last = pointers.get(e.pointerId);
    if (!last || !scene) return;
    const dx = (e.clientX - last.clientX) / element.clientHeight, dy = (e.clientY - last.clientY) / element.clientHeight;
    if (pointers.size === 2) {
      const other = [...pointers.values()].find((p) => p.pointerId !== e.pointerId);
      const apart = (p) => Math.hypot(p.clientX - other.clientX, p.clientY - other.clientY) || 1;
      scene.zoom = Math.min(20, Math.max(0.02, scene.zoom * apart(last) / apart(e)));
    } else if (last.buttons & 2 || e.shiftKey) {
      const reach = scene.axes.distance;
      scene.shift = along(along(scene.shift, -dx * reach, scene.axes.right), dy * reach, scene.axes.up);
    } else {
      scene.yaw -= dx * 3;
      scene.pitch = Math.min(1.55, Math.max(-1.55, scene.pitch + dy * 3));
    }
    pointers.set(e.pointerId, e);
    redraw();
  });
  canvas.addEventListener("contextmenu", (e) => e.preventDefault());
  canvas.addEventListener("wheel", (e) => {
    e.preventDefault();
    scene.zoom = Math.min(20, Math.max(0.02, scene.zoom * Math.exp(e.deltaY * 0.001)));
    redraw();
  }, {passive: false});
  canvas.addEventListener("dblclick", () => {
    Object.assign(scene, {yaw: 0, pitch: 0, zoom: 1, shift: [0, 0, 0]});
    redraw();
  });
  addEventListener("resize", redraw);
  for (const e of elements) {
    e.addEventListener("pointerenter", () => enter(e));
    const slider = document.getElementById(e.dataset.scene + "-best");
    if (slider) slider.addEventListener("input", () => {
      slider.nextElementSibling.textContent = slider.value;
      enter(e);
      redraw();
    });
  }
  // Each scene gets its first picture when it comes into sight.
  const seen = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      seen.unobserve(entry.target);
      enter(entry.target);
      draw();
    }
  });
  for (const e of elements) seen.observe(e);
})();
)js";

}  // namespace grasppanda::run
